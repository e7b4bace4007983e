// Whether a word is somebody's last name: asked for whenever a firm may go by its first word.
CREATE TEXT INDEX entity_key_text IF NOT EXISTS FOR (n:Entity) ON (n.canonical_key);
