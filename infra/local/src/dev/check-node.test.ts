import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../at-end.test-kit.ts";

const infra = join(import.meta.dirname, "..", "..", "..");
const broken = 'echo "node: error while loading shared libraries: libatomic.so.1: cannot open" >&2; exit 127';
const works = "echo v26.10.0";
const proxy = "http://proxy:3128";

/** Runs the script in a project whose Node is the shell script `node`, on a machine with only these programs, also
 * shell scripts. Its AppArmor profiles are in the project. */
async function check(node: string | undefined, programs: Readonly<Record<string, string>> = {}) {
  const project = await temporaryDirectory();
  const machine = join(project, "machine");
  const bin = join(project, "node_modules", ".bin");
  for (const folder of [machine, bin]) mkdirSync(folder, { recursive: true });
  const write = (file: string, text: string) => writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  if (node !== undefined) write(join(bin, "node"), node);
  symlinkSync("/usr/bin/env", join(machine, "env"));
  for (const [name, text] of Object.entries(programs)) write(join(machine, name), text);
  const profiles = join(project, "apparmor.d");
  mkdirSync(join(profiles, "local"), { recursive: true });
  if ("apparmor_parser" in programs) writeFileSync(join(profiles, "mariadbd"), "");
  for (const script of ["check-node.sh", "install-packages.sh"]) {
    const text = readFileSync(join(infra, script), "utf8");
    writeFileSync(join(project, script), text.replaceAll("/etc/apparmor.d", profiles));
  }
  const { status, stdout, stderr } = spawnSync("/bin/sh", [join(project, "check-node.sh")], {
    cwd: project,
    env: { PATH: machine, http_proxy: proxy, https_proxy: proxy, no_proxy: "localhost, .shop" },
    encoding: "utf8",
  });
  const textOf = (name: string) => (existsSync(join(project, name)) ? readFileSync(join(project, name), "utf8") : "");
  return { status, stdout, stderr, calls: textOf("calls"), rules: textOf("apparmor.d/local/mariadbd") };
}

// Records its arguments and proxies. What it installs makes Node start; it installs with new package lists only, where `old`.
const aptGet = ({ old = false, update = "" }) => `
  echo "$http_proxy $https_proxy ($no_proxy) $@" >> calls
  case "$*" in
    *update*) ${update}
      : > updated;;
    *"install "*libatomic1)
      if ${old} && [ ! -e updated ]; then echo "E: Unmet dependencies" >&2; exit 100; fi
      printf '#!/bin/sh\\n${works}\\n' > node_modules/.bin/node;;
  esac`;
const root = "echo 0";
const otherUser = "echo 1000";
const sudo = '[ "$1" = -n ] && shift && echo sudo >> calls && env -i PATH="$PATH" "$@"';
const advice = "Node needs libatomic.so.1. Install it (Debian and Ubuntu: sudo apt-get install libatomic1)";
const installs = "tally: installing libatomic1 (apt-get; takes about a minute)";
const oldLists = "tally: apt-get failed, perhaps because of old package lists: updating them and trying once more";
const waiting = "tally: waiting up to 60 s for another package command that updates the package lists";
const isLocked = 'echo "E: Could not get lock /var/lib/apt/lists/lock." >&2; exit 100';

test.each([
  ["is not installed yet", undefined, 0, ""],
  ["starts", works, 0, ""],
  [
    "has another error, which is printed as it is",
    'echo "no such instruction" >&2; exit 1',
    1,
    "The Node that came with the install does not start: no such instruction\n",
  ],
])("where Node %s nothing is installed", async (_, node, status, stderr) => {
  const nothing = { stdout: "", calls: "", rules: "" };
  expect(await check(node, { id: root, "apt-get": aptGet({}) })).toEqual({ status, stderr, ...nothing });
});

test.each([
  ["as root", { id: root, "apt-get": aptGet({}) }, [installs]],
  ["with sudo that needs no password", { id: otherUser, sudo, true: "", "apt-get": aptGet({}) }, [installs]],
  ["with new package lists", { id: root, "apt-get": aptGet({ old: true }) }, [installs, oldLists]],
  [
    "although one package source is unreachable",
    { id: root, "apt-get": aptGet({ old: true, update: ": > updated; echo unreachable; exit 100" }) },
    [installs, oldLists, "unreachable"],
  ],
  [
    "after another command has updated the package lists",
    {
      id: root,
      sleep: "echo sleep >> waits",
      "apt-get": aptGet({ old: true, update: `[ -e waits ] || { ${isLocked}; }` }),
    },
    [installs, oldLists, waiting],
  ],
])("the library that Node lacks is installed %s", async (_, machine, said) => {
  const { status, stdout, stderr, calls } = await check(broken, machine);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const all = ["Node needs libatomic.so.1", ...said];
  expect(stdout.split("\n").filter((line) => line !== "" && !line.startsWith("E: "))).toEqual(all);
  expect(calls).toContain(`${proxy} ${proxy} (localhost, .shop) -q `);
  expect(calls).toMatch(/-o DPkg::Lock::Timeout=60 install -y --no-install-recommends libatomic1\n$/);
  expect(calls.includes("sudo")).toBe("sudo" in machine);
});

test.each<[string, Readonly<Record<string, string>>, ...(readonly string[])]>([
  ["there is no apt-get", { id: root }],
  ["the user may not use apt-get", { id: otherUser, sudo: "exit 1", "apt-get": aptGet({}) }],
  ["there is no sudo", { id: otherUser, "apt-get": aptGet({}) }],
  [
    "apt-get fails, also with new lists",
    { id: root, "apt-get": 'echo "$@" >> calls; exit 100' },
    "install",
    "update",
    "install",
  ],
])("where %s, the output names what to install, and the install fails", async (_, machine, ...tried) => {
  const { status, stderr, calls } = await check(broken, machine);
  expect(status).toBe(1);
  expect(stderr).toContain(advice);
  expect(calls.match(/(?<=60 )(update|install)/g) ?? []).toEqual(tried);
});

const rule = "/**/.tally/{,**} rwkl,";

test.each([
  ["is added", { id: root, "apt-get": aptGet({}) }, 1],
  ["is added by sudo", { id: otherUser, sudo, true: "", "apt-get": aptGet({}) }, 1],
  ["stays", { id: root, "apt-get": `${aptGet({})}; echo '${rule}' > apparmor.d/local/mariadbd` }, 0],
])("after an installation, AppArmor's rule for the folders of a checkout %s", async (_, machine, loads) => {
  const programs = { sh: 'exec /bin/sh "$@"', grep: 'exec /usr/bin/grep "$@"', apparmor_parser: 'echo "$@" >> calls' };
  const { status, rules, calls } = await check(broken, { ...machine, ...programs });
  expect({ status, rules: rules.trim() }).toEqual({ status: 0, rules: rule });
  expect(calls.match(/^-r \S+\/apparmor\.d\/mariadbd$/gm) ?? []).toHaveLength(loads);
});
