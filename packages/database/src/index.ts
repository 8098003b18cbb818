export { connectDatabase, type Database } from "./connect-database.ts";
export { DatabaseError } from "./database-error.ts";
export { exclusively, type ExclusiveSession } from "./exclusively.ts";
export { migrate, readMigrations } from "./migrate.ts";
export { dropTestDatabase, recreateTestDatabase } from "./test-database.ts";
