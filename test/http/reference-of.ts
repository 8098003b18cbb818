import { Validator } from "@seriousme/openapi-schema-validator";

/** GET /openapi.json with its references resolved, as the type that the caller reads. Throws for an invalid document. */
export async function referenceOf<Document>(url: string): Promise<Document> {
  const served: unknown = await (await fetch(`${url}/openapi.json`)).json();
  const validator = new Validator();
  const result = await validator.validate({ ...Object(served) });
  if (!result.valid) throw new Error(`${url}/openapi.json: ${JSON.stringify(result.errors)}`);
  // Valid OpenAPI; the caller reads fields that tally's document has.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return validator.resolveRefs() as unknown as Document;
}
