// name: ping() read one
// Answers once the database takes queries.
// unscoped: reads no data
RETURN 1 AS one

// name: list_components() read many
// What the server is made of.
// unscoped: reads no data
CALL dbms.components() YIELD name, versions, edition
RETURN name, versions, edition

// name: find_gds() read optional
// A row where the Graph Data Science plugin is installed; asking for its version fails without it.
// unscoped: reads no data
SHOW FUNCTIONS YIELD name
WHERE name = 'gds.version'
RETURN name

// name: gds_version() read one
// The plugin's version.
// unscoped: reads no data
RETURN gds.version() AS version

// name: list_databases() read many
// Asked of the system database, which answers even where the other does not open.
// unscoped: reads no data
SHOW DATABASES YIELD name, currentStatus, statusMessage
RETURN name, currentStatus, statusMessage

// name: list_indexes() read many
// Every index with its state, for `loci doctor`.
// unscoped: reads no data
SHOW INDEXES YIELD name, type, state, populationPercent
RETURN name, type, state, populationPercent

// name: terminated() read many
// Queries that were terminated and are still there, with the CPU that each has used.
// unscoped: reads no data
SHOW TRANSACTIONS YIELD currentQueryId, status, currentQueryCpuTime
WHERE status STARTS WITH 'Terminated' AND currentQueryId <> '' AND currentQueryCpuTime IS NOT NULL
RETURN currentQueryId AS query, currentQueryCpuTime.milliseconds AS cpu_ms
