import type { LackedEngine, ObtainableEngine } from '../../features/feature.ts';
import type { CommandCall } from '../terminal/call.ts';
import { namedHost } from '../terminal/running-host.ts';

/**
 * The way to a recognizer that this machine can get; null for none. A host that the environment names may be another machine, which
 * nothing is installed on from here.
 */
export async function obtainableRecognizer(
  { given, terminal }: CommandCall,
  film: Omit<LackedEngine, 'use'>,
): Promise<ObtainableEngine | null> {
  if (namedHost(process.env) !== null) return null;
  // Both name what features choose from, which is a good part of the program; most films need neither.
  const { features } = await import('../../features/features.ts');
  const { commandParts } = await import('../settings/command-parts.ts');
  const lacked = { use: 'recognizer', ...film } as const;
  for (const { obtainable } of features) {
    const way = (await obtainable?.(lacked, features, commandParts(given, terminal))) ?? null;
    if (way !== null) return way;
  }
  return null;
}
