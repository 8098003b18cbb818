import { openTcpProxy, type TcpProxy, freePorts, type Addresses, type PrivateServices } from "@tally/local";
import { atEnd } from "./at-end.ts";

/** A name of the database's write endpoint that can move to another server, as a DNS name does. The apps do not notice the move. */
interface WriteName {
  /** Lets the apps find the primary by the name; for `startSystemWithServers`. */
  readonly readdress: (services: PrivateServices) => Promise<PrivateServices>;
  /** Ends the name's connections. From now on it leads to the server at this port. */
  moveTo(port: number): Promise<void>;
}

export async function openWriteName(): Promise<WriteName> {
  const [namePort = 0] = await freePorts(1);
  let proxy: TcpProxy | undefined;
  atEnd(() => proxy?.close());

  async function moveTo(port: number): Promise<void> {
    await proxy?.close();
    proxy = await openTcpProxy(`tcp://127.0.0.1:${port}`, { port: namePort });
  }
  const named = (addresses: Addresses): Addresses => {
    const url = new URL(addresses.databaseWriteUrl);
    url.port = String(namePort);
    return { ...addresses, databaseWriteUrl: url.href };
  };
  return {
    moveTo,
    async readdress(services) {
      await moveTo(Number(new URL(services.addresses.databaseWriteUrl).port));
      const { gateway, writer, ranker, maintenance } = services.accounts;
      const accounts = {
        gateway: named(gateway),
        writer: named(writer),
        ranker: named(ranker),
        maintenance: named(maintenance),
      };
      return { ...services, addresses: named(services.addresses), accounts };
    },
  };
}
