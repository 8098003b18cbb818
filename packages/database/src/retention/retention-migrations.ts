/** The folder of the numbered SQL files. */
export const retentionMigrations = new URL("./migrations/", import.meta.url);
