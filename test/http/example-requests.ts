/* The examples of an OpenAPI document as requests, and what their responses must be. */

/** An OpenAPI document without references, as far as examples need it. */
export interface ReferenceDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

interface Parameter extends Shown {
  readonly in: "path" | "query" | "header";
  readonly name: string;
}

interface DocumentedResponse {
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, Shown & { readonly required?: boolean }>>;
}

type Content = Readonly<Record<string, Shown>>;

interface Shown {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** One example as it is sent. `status`: what the document says that it gets. */
export interface ExampleRequest {
  /** Such as "GET /stores/{storeID}/top-items: one day". */
  readonly name: string;
  /** The name of the example alone; "" for a request without values. */
  readonly example: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
  readonly status: string;
  readonly response: DocumentedResponse;
}

/** Every example of every operation, with each media type of its body. */
export function exampleRequests({ paths }: ReferenceDocument): readonly ExampleRequest[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => requestsOf(method.toUpperCase(), path, operation)),
  );
}

function requestsOf(method: string, path: string, operation: Operation): readonly ExampleRequest[] {
  const { parameters = [], requestBody, responses } = operation;
  const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const shown = successes.map(([, response]) => [
    ...Object.values(response.content ?? {}),
    ...Object.values(response.headers ?? {}),
  ]);
  const all = [...parameters, ...Object.values(requestBody?.content ?? {}), ...shown.flat()];
  const named = new Set(all.flatMap(({ examples }) => Object.keys(examples ?? {})));
  // Without examples: it has no values, or it needs something that no example brings, such as a dead letter.
  const examples = named.size > 0 ? [...named] : parameters.length === 0 && method === "GET" ? [""] : [];
  return examples.flatMap((example) => {
    const valuesOf = (place: Parameter["in"]) =>
      parameters.flatMap((one): [string, string][] => {
        const value = one.examples?.[example]?.value;
        return one.in === place && (typeof value === "string" || typeof value === "number")
          ? [[one.name, `${value}`]]
          : [];
      });
    const inPath = new Map(valuesOf("path"));
    const query = new URLSearchParams(valuesOf("query")).toString();
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath.get(name) ?? ""));
    const at = Math.max(
      0,
      shown.findIndex((one) => one.some(({ examples: of }) => of !== undefined && example in of)),
    );
    const [status = "", response = {}] = successes[at] ?? [];
    return bodiesOf(requestBody?.content, example).map(({ type, body }) => ({
      name: `${method} ${path}: ${[example, type].filter((text) => text !== "").join(", as ")}`,
      example,
      method,
      path: query === "" ? filled : `${filled}?${query}`,
      // The boundary of a form belongs to its type.
      headers: {
        ...Object.fromEntries(valuesOf("header")),
        ...(typeof body === "string" ? { "content-type": type } : {}),
      },
      body,
      status,
      response,
    }));
  });
}

function bodiesOf(content: Content | undefined, example: string) {
  if (content === undefined) return [{ type: "", body: undefined }];
  return Object.entries(content).map(([type, { examples }]) => {
    const value = examples?.[example]?.value;
    if (type === "multipart/form-data") return { type, body: formOf(value) };
    return { type, body: typeof value === "string" ? value : JSON.stringify(value) };
  });
}

/** Texts become files of these bytes, objects become JSON. */
function formOf(parts: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(typeof parts === "object" && parts !== null ? parts : {})) {
    if (typeof value === "string") form.append(name, new Blob([value]), name);
    else form.append(name, JSON.stringify(value));
  }
  return form;
}
