import { InvalidInput } from "@tally/contract";
import { Type, type TSchema } from "typebox";

/** The value of a text, such as a CSV cell or a flag, for a field. Throws InvalidInput for a list or an object that is no JSON. */
export function cellValue(name: string, schema: TSchema | undefined, text: string): unknown {
  if (Type.IsInteger(schema) || Type.IsNumber(schema)) return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (Type.IsBoolean(schema)) return text === "true" || (text === "false" ? false : text);
  if (Type.IsArray(schema) || Type.IsObject(schema)) return parseJson(name, text);
  return text;
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new InvalidInput(name, "JSON", text);
    throw error;
  }
}
