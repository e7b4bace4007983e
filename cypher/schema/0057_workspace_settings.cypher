// Settings of the agent's memory: those of a scope.
CREATE CONSTRAINT workspace_settings_id IF NOT EXISTS FOR (n:WorkspaceSettings) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT workspace_settings_scope IF NOT EXISTS
FOR (n:WorkspaceSettings) REQUIRE n.scope IS UNIQUE;
