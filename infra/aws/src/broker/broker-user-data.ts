import { readFileSync } from "node:fs";
import { namespace } from "../apps/app-settings.ts";

interface Node {
  /** From 1 to 3. */
  readonly number: number;
  readonly addresses: readonly string[];
  readonly region: string;
  readonly secretArn: string;
  readonly device: string;
}

const infra = new URL("../../../", import.meta.url);

/** The user data of one RabbitMQ node: what infra/ec2/rabbitmq.sh sets, with values, then infra/ec2/run-rabbitmq.sh. At most 16 KiB, EC2's limit. */
export function brokerUserData({ number, addresses, region, secretArn, device }: Node): string {
  return [
    "#!/bin/bash",
    `NODE=${number}`,
    `ADDRESSES="${addresses.join(" ")}"`,
    `REGION="${region}"`,
    `SECRET="${secretArn}"`,
    `DEVICE=${device}`,
    `NAMESPACE=${namespace}`,
    hereDocument("DEFINITIONS", "rabbitmq/definitions.json"),
    hereDocument("FILL_TEMPLATE", "fill-template.sh"),
    read("ec2/run-rabbitmq.sh"),
  ].join("\n");
}

function hereDocument(variable: string, path: string): string {
  return `read -r -d '' ${variable} <<'END_OF_FILE' || true\n${read(path)}END_OF_FILE`;
}

function read(path: string): string {
  return readFileSync(new URL(path, infra), "utf8");
}
