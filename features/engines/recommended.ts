import { availableParallelism, totalmem } from 'node:os';
import type { Catalogue, CatalogueEngine } from './catalogue.ts';

/** What a choice of an engine depends on. */
export interface Machine {
  /** The cores that a process may use. */
  readonly cores: number;
  /** The memory that a process may use, in bytes. */
  readonly memoryBytes: number;
}

/** This machine; in a container with a limit, what the container has. */
export function thisMachine(): Machine {
  const limit = process.constrainedMemory?.() ?? 0;
  const memoryBytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { cores: availableParallelism(), memoryBytes };
}

/**
 * Windows for a second of speech. Neighboring regions are joined to at most 28 s; the mean of 18 s is an assumption. Each window costs
 * its own encoding, and another one for the question of its language.
 */
const windowsPerSecond = 2 / 18;

/** The most seconds of computation for a second of speech, on all cores. The numbers are a choice. */
const mostSeconds = { en: 1 / 3, other: 1 } as const;

/** Half of the memory is for everything else. The number is a choice. */
const memoryShare = 0.5;

/** Seconds of computation for a second of speech on a machine; an estimate from windows that other machines took. */
export const estimatedSeconds = ({ windowCpuSeconds }: CatalogueEngine, { cores }: Machine): number =>
  (windowsPerSecond * windowCpuSeconds) / cores;

/**
 * The engine of a catalogue that fits a machine and a language. It is the most exact one that keeps up with the speech. Small models
 * know English best, so other languages get more time. If none keeps up, it is the fastest. Null if none has enough memory.
 */
export function recommended({ engines }: Catalogue, language: string, machine: Machine): CatalogueEngine | null {
  const fitting = engines.filter(({ memoryBytes }) => memoryBytes <= memoryShare * machine.memoryBytes);
  const most = language === 'en' ? mostSeconds.en : mostSeconds.other;
  const inTime = fitting.filter((each) => estimatedSeconds(each, machine) <= most);
  const bySize = (of: readonly CatalogueEngine[], sign: 1 | -1) =>
    of.toSorted(
      (one, other) => sign * (one.windowCpuSeconds - other.windowCpuSeconds) || one.weights.bytes - other.weights.bytes,
    )[0] ?? null;
  return bySize(inTime, -1) ?? bySize(fitting, 1);
}
