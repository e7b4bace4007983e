// Pages of a scope by their slug: an import asks whether it is a copy of one that is here.
CREATE INDEX page_scope_slug IF NOT EXISTS FOR (n:Page) ON (n.scope, n.slug);
