/** What this package tells of itself: one line for each change of state, never for each attempt. Pino's shape. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
