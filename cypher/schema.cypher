// name: versions() read many
// unscoped: the schema belongs to the whole database
MATCH (v:SchemaVersion)
RETURN v.version AS version, v.name AS name, v.applied_at AS applied_at
ORDER BY v.version

// name: record(rows, at) write none
// unscoped: the schema belongs to the whole database
UNWIND $rows AS row
MERGE (v:SchemaVersion {version: row.version})
SET v.name = row.name, v.checksum = row.checksum, v.applied_at = coalesce(v.applied_at, $at)

// name: create_labels(names) write none
// Create labels ahead of their first use.
// unscoped: the schema belongs to the whole database
UNWIND $names AS name
CALL db.createLabel(name)
FINISH

// name: create_types(names) write none
// Create types of relationships ahead of their first use.
// unscoped: the schema belongs to the whole database
UNWIND $names AS name
CALL db.createRelationshipType(name)
FINISH

// name: create_properties(names) write none
// Create keys of properties ahead of their first use.
// unscoped: the schema belongs to the whole database
UNWIND $names AS name
CALL db.createProperty(name)
FINISH
