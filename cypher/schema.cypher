// name: versions() read many
// unscoped: the schema belongs to the whole database
MATCH (v:SchemaVersion)
RETURN v.version AS version, v.name AS name, v.applied_at AS applied_at
ORDER BY v.version

// name: record(version, name, checksum, at) write none
// unscoped: the schema belongs to the whole database
MERGE (v:SchemaVersion {version: $version})
SET v.name = $name, v.checksum = $checksum, v.applied_at = coalesce(v.applied_at, $at)
