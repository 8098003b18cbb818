/** The hooks of a route's option, which is one, several or none. */
export function hooksOf<Hook>(option: Hook | Hook[] | undefined): readonly Hook[] {
  if (option === undefined) return [];
  return Array.isArray(option) ? option : [option];
}
