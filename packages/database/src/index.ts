export { connectDatabase, type Database } from "./connect-database.ts";
export { DatabaseError } from "./database-error.ts";
export { migrate } from "./migrate.ts";
export { readMigrations } from "./read-migrations.ts";
export { dropTestDatabase, recreateTestDatabase } from "./test-database.ts";
