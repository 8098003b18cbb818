import type {
  BulkRoute,
  ContentRoute,
  Described,
  Domain,
  Event,
  FormRoute,
  IngestRoute,
  QueryRoute,
} from "@tally/contract";
import type { RouteAccess } from "../../admission/route-access.ts";
import type { ErrorCode } from "../../errors/catalogue.ts";

/** What the API reference says about a route of a domain: the domain's own words. */
export interface DomainDocument {
  readonly domain: Domain;
  readonly route: IngestRoute<Event> | FormRoute<Event> | BulkRoute<Event> | QueryRoute | ContentRoute;
}

/** What it says about a route of the gateway itself. Params, query and response come from the route's schema. */
export interface OwnDocument extends Described {
  /** As it is below each base path. */
  readonly path: string;
  /** The media type of the response; default JSON. */
  readonly type?: string;
  /** Besides those that its access, its params and its query bring. */
  readonly errors?: readonly ErrorCode[];
  /** By what they show. Absent values are not sent. */
  readonly examples: Readonly<Record<string, OwnExample>>;
}

interface OwnExample {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  /** Absent: not shown, because it is long or differs from system to system. */
  readonly response?: unknown;
}

/** A route that the server has, as far as the API reference is concerned. */
export interface ServedRoute {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly access: RouteAccess;
  readonly schema: OwnSchema;
  readonly documented: DomainDocument | OwnDocument;
}

/** The JSON schemas of a route of the gateway itself. */
interface OwnSchema {
  readonly params?: unknown;
  readonly querystring?: unknown;
  /** Of the 200. */
  readonly response?: unknown;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** "page": part of a web page, which the reference leaves out. */
    documented?: DomainDocument | OwnDocument | "page";
  }
}
