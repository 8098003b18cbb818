import { ServerResponse } from "node:http";

/* Loaded into a gateway by `node --import`: every tenth response with an event id omits it. */

// oxlint-disable-next-line typescript/unbound-method -- called with its own below
const { writeHead } = ServerResponse.prototype;
let withId = 0;

ServerResponse.prototype.writeHead = function (this: ServerResponse, ...args: unknown[]) {
  const headers = args.at(-1);
  if (typeof headers === "object" && headers !== null && "tally-event-id" in headers && ++withId % 10 === 0)
    delete headers["tally-event-id"];
  Reflect.apply(writeHead, this, args);
  return this;
};
