// Knowledge bases, documents, and the chunks that texts are cut into.
CREATE CONSTRAINT knowledge_base_id IF NOT EXISTS FOR (n:KnowledgeBase) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT knowledge_base_key IF NOT EXISTS FOR (n:KnowledgeBase) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT document_id IF NOT EXISTS FOR (n:Document) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT document_key IF NOT EXISTS FOR (n:Document) REQUIRE n.key IS UNIQUE;
CREATE INDEX knowledge_base_scope IF NOT EXISTS FOR (n:KnowledgeBase) ON (n.scope, n.id);
CREATE INDEX document_base IF NOT EXISTS FOR (n:Document) ON (n.base, n.id);
CREATE INDEX document_scope IF NOT EXISTS FOR (n:Document) ON (n.scope, n.id);
CREATE INDEX chunk_work IF NOT EXISTS FOR (n:Chunk) ON (n.work, n.number);
