/** What a fleet tells of itself: one line for each change of a thread's state. Pino's shape. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
