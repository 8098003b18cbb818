import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const script = join(import.meta.dirname, "..", "..", "..", "check-node.sh");
const broken = 'echo "node: error while loading shared libraries: libatomic.so.1: cannot open" >&2; exit 127';
const works = "echo v26.10.0";

/** Runs the script in a project whose Node does `node`, on a machine that has these programs only, each a text for sh. */
function check(node: string | undefined, programs: Readonly<Record<string, string>> = {}) {
  const project = mkdtempSync(join(tmpdir(), "tally-check-node-"));
  onTestFinished(() => rmSync(project, { recursive: true }));
  const machine = join(project, "machine");
  const bin = join(project, "node_modules", ".bin");
  for (const folder of [machine, bin]) mkdirSync(folder, { recursive: true });
  const write = (file: string, text: string): void => {
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
  };
  if (node !== undefined) write(join(bin, "node"), node);
  symlinkSync("/usr/bin/env", join(machine, "env"));
  for (const [name, text] of Object.entries(programs)) write(join(machine, name), text);
  const { status, stdout, stderr } = spawnSync("/bin/sh", [script], {
    cwd: project,
    env: { PATH: machine },
    encoding: "utf8",
  });
  const asked = join(project, "asked");
  return { status, stdout, stderr, asked: existsSync(asked) ? readFileSync(asked, "utf8") : "" };
}

// Notes what it is asked, and what it installs makes Node start.
const aptGet = (update: number): string =>
  `echo "$@" >> asked; case "$*" in *update*) exit ${update};; *"install "*libatomic1) printf '#!/bin/sh\\n${works}\\n' > node_modules/.bin/node;; esac`;
const root = "echo 0";
const somebody = "echo 1000";
const sudo = '[ "$1" = -n ] && shift && echo sudo >> asked && "$@"';
const advice = "Node needs libatomic.so.1. Install it (Debian and Ubuntu: sudo apt-get install libatomic1)";

test.each([
  ["is not there yet", undefined],
  ["starts", works],
])("where Node %s nothing is said or installed", (_, node) => {
  const machine = { id: root, "apt-get": aptGet(0) };
  expect(check(node, machine)).toEqual({ status: 0, stdout: "", stderr: "", asked: "" });
});

test.each([
  ["as root", 0, { id: root }],
  ["as root, though a source of packages is away", 100, { id: root }],
  ["by sudo without a password", 0, { id: somebody, sudo }],
])("the library that Node misses is installed %s", (_, update, machine) => {
  const { status, stdout, stderr, asked } = check(broken, { ...machine, "apt-get": aptGet(update) });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toBe("Node needs libatomic.so.1: installing the package libatomic1 (apt-get)\n");
  expect(asked).toMatch(/ update\n(.*\n)*.* install -y --no-install-recommends libatomic1\n$/);
  expect(asked.includes("sudo")).toBe("sudo" in machine);
});

test.each([
  ["there is no apt-get", { id: root }],
  ["apt-get may not be used", { id: somebody, sudo: "exit 1", "apt-get": aptGet(0) }],
  ["there is no sudo", { id: somebody, "apt-get": aptGet(0) }],
  ["apt-get fails", { id: root, "apt-get": "exit 100" }],
])("what to install is said, and the install fails, where %s", (_, machine) => {
  const { status, stderr, asked } = check(broken, machine);
  expect(status).toBe(1);
  expect(stderr).toContain(advice);
  expect(asked).toBe("");
});

test("another fault of Node is told as it is, and nothing is installed", () => {
  const machine = { id: root, "apt-get": aptGet(0) };
  expect(check('echo "no such instruction" >&2; exit 1', machine)).toEqual({
    status: 1,
    stdout: "",
    stderr: "Node, as it came with the install, does not start: no such instruction\n",
    asked: "",
  });
});
