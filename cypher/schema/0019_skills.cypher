// Skills, their versions, uses, conflicts and proposals.
CREATE CONSTRAINT skill_id IF NOT EXISTS FOR (n:Skill) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT skill_key IF NOT EXISTS FOR (n:Skill) REQUIRE n.skill_key IS UNIQUE;
CREATE CONSTRAINT skill_version_id IF NOT EXISTS FOR (n:SkillVersion) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT skill_usage_id IF NOT EXISTS FOR (n:SkillUsageRecord) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT skill_conflict_id IF NOT EXISTS FOR (n:SkillConflict) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT skill_proposal_id IF NOT EXISTS FOR (n:SkillProposal) REQUIRE n.id IS UNIQUE;
CREATE INDEX skill_scope IF NOT EXISTS FOR (n:Skill) ON (n.scope, n.id);
CREATE INDEX skill_version_skill IF NOT EXISTS FOR (n:SkillVersion) ON (n.skill, n.version);
CREATE INDEX skill_usage_skill IF NOT EXISTS FOR (n:SkillUsageRecord) ON (n.skill, n.at);
CREATE INDEX skill_conflict_scope IF NOT EXISTS FOR (n:SkillConflict) ON (n.scope, n.id);
CREATE INDEX skill_proposal_scope IF NOT EXISTS FOR (n:SkillProposal) ON (n.scope, n.id);
CREATE INDEX skill_proposal_due IF NOT EXISTS FOR (n:SkillProposal) ON (n.status, n.due_at);
