import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { expect, onTestFinished, test, vi } from "vitest";
import { disturbanceOf, readMachine, type MachineReading } from "./disturbance.ts";

/** The process id of a program that uses one core until the test finishes. */
function busyLoop(): number {
  // In a separate process group, so the bench counts it as foreign.
  const child = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore", detached: true });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid ?? expect.unreachable();
}

const usedBy = ({ processes }: MachineReading, pids: readonly number[]) =>
  processes.filter(({ pid }) => pids.includes(pid)).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);

test.runIf(process.platform === "linux")(
  "a run beside a busy loop is disturbed; the same run without it is not",
  { timeout: 120_000 },
  async () => {
    // A machine with many cores is disturbed by several loops.
    const loops = Array.from({ length: Math.ceil(availableParallelism() / 4) }, busyLoop);
    // Stands for the processes of a run.
    const own = busyLoop();
    const before = readMachine();
    const after = await vi.waitFor(
      () => {
        const now = readMachine();
        for (const pid of [own, ...loops]) expect(usedBy(now, [pid]) - usedBy(before, [pid])).toBeGreaterThan(0.3);
        return now;
      },
      { timeout: 100_000 },
    );
    /** What the two readings would be if only these processes had run: the time of all others never was. */
    const alone = (pids: readonly number[]): readonly [MachineReading, MachineReading] => {
      const without = ({ cpu, processes }: MachineReading): MachineReading => {
        const seconds = usedBy({ cpu, processes }, pids);
        const idle = cpu.totalSeconds - cpu.processSeconds - cpu.stealSeconds;
        return {
          cpu: { processSeconds: seconds, stealSeconds: 0, totalSeconds: idle + seconds },
          processes: processes.filter(({ pid }) => pids.includes(pid)),
        };
      };
      return [without(before), without(after)];
    };
    const of = (readings: readonly [MachineReading, MachineReading]) => disturbanceOf(readings, own);
    const disturbed = of(alone([own, ...loops]));
    expect(disturbed).toMatchObject({
      isDisturbed: true,
      foreign: { largest: [{ name: expect.stringContaining("node") }] },
    });
    expect(disturbed.foreign.cpuSeconds).toBeCloseTo(usedBy(after, loops) - usedBy(before, loops), 1);
    expect(of(alone([own]))).toMatchObject({ isDisturbed: false, foreign: { percent: 0, largest: [] } });
    // Whatever else this machine does, at least the loops are foreign.
    expect(of([before, after]).foreign.cpuSeconds).toBeGreaterThanOrEqual(disturbed.foreign.cpuSeconds - 0.1);
  },
);

const reading = (stealSeconds: number, totalSeconds: number): MachineReading => ({
  cpu: { processSeconds: 0, stealSeconds, totalSeconds },
  processes: [],
});

test("steal disturbs a run", () => {
  const stolen = { steal: { percent: 6, cpuSeconds: 1.2 }, isDisturbed: true };
  expect(disturbanceOf([reading(10, 500), reading(11.2, 520)], 1)).toMatchObject(stolen);
});
