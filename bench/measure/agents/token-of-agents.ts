import { ConfigError, readConfig, secret } from "@tally/runtime";
import { WrongUsage } from "../wrong-usage.ts";

const settings = { token: secret("TALLY_BENCH_TOKEN", "the token of the agents of a bench", {}) };
const charactersMin = 16;

/** From TALLY_BENCH_TOKEN, or from the file that TALLY_BENCH_TOKEN_FILE names: a flag would show in the list of processes. */
export function tokenOfAgents(): string {
  try {
    const { token } = readConfig(settings);
    if (token.length >= charactersMin) return token;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new WrongUsage(error.message, { cause: error });
  }
  throw new WrongUsage(
    `TALLY_BENCH_TOKEN: expected at least ${charactersMin} characters, such as openssl rand -hex 24`,
  );
}
