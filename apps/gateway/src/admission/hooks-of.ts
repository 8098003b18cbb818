/** The hooks in a route's option, as a list. */
export function hooksOf<Hook>(option: Hook | Hook[] | undefined): readonly Hook[] {
  if (option === undefined) return [];
  return Array.isArray(option) ? option : [option];
}
