// What declared nodes refer to: sought when it is erased.
CREATE INDEX declared_refers IF NOT EXISTS FOR (n:Declared) ON (n.refers);
CREATE INDEX declared_memory_scope IF NOT EXISTS FOR (n:Declared) ON (n.memory_scope);
// Work items: by scope, and by the item above.
CREATE CONSTRAINT work_item_id IF NOT EXISTS FOR (n:WorkItem) REQUIRE n.id IS UNIQUE;
CREATE INDEX work_item_scope IF NOT EXISTS FOR (n:WorkItem) ON (n.scope, n.id);
CREATE INDEX work_item_parent IF NOT EXISTS FOR (n:WorkItem) ON (n.parent_id, n.id);
CREATE INDEX work_link_whole IF NOT EXISTS FOR (n:WorkLink) ON (n.whole, n.id);
