/** The option without which a database server refuses to run as root; for other users there is none. */
export const asRoot = (): readonly string[] => (process.getuid?.() === 0 ? ["--user=root"] : []);
