import path from 'node:path';
import type { LabeledFault, PackItem } from '../../contract/evaluation.ts';
import { ffmpeg, lengthMs } from './ffmpeg.ts';
import { itemOf } from './pack-item.ts';
import { sounds } from './sounds.ts';

const beds = ['pink-noise', 'siren', 'chords', 'melody', 'white-noise', 'applause'] as const;

/** The faults of a file, in ms; each file has them a little later than the one before, and a little longer. */
const faultsAt = (at: number): LabeledFault[] => {
  const later = at * 370;
  const fault = (kind: LabeledFault['kind'], startMs: number, lengthMs: number): LabeledFault => ({
    kind,
    startMs: startMs + later,
    endMs: startMs + later + lengthMs,
  });
  return [
    fault('clipping', 4000, 600 + 100 * at),
    fault('silent_channel', 9000, 2600 + 300 * at),
    fault('phase_inversion', 16_000, 1600 + 200 * at),
    fault('dropout', 23_000, 20 + 30 * at),
    fault('dropout', 25_500, 12 + 10 * at),
  ];
};

const during = ({ startMs, endMs }: LabeledFault): string => `between(t,${startMs / 1000},${endMs / 1000})`;

/** Expressions that turn a clean sound into a faulty one, for each side; `val(0)` is the left input. */
const expressions: Readonly<Record<LabeledFault['kind'], (side: 0 | 1) => string>> = {
  clipping: (side) => `20*val(${side})`,
  silent_channel: (side) => (side === 0 ? 'val(0)' : '0'),
  phase_inversion: (side) => (side === 0 ? 'val(0)' : '-val(0)'),
  dropout: () => '0',
};

/** Sounds with faults at known times, and the same without any. */
export async function faultItems(folder: string): Promise<PackItem[]> {
  const items: PackItem[] = [];
  for (const [at, bed] of beds.entries()) {
    const source = sounds[bed];
    if (source === undefined) throw new Error(`unknown sound ${bed}`);
    for (const faults of [faultsAt(at), []]) {
      const sideOf = (side: 0 | 1): string =>
        faults.reduce(
          (otherwise, fault) => `if(${during(fault)},${expressions[fault.kind](side)},${otherwise})`,
          `val(${side})`,
        );
      const graph = `pan=stereo|c0=c0|c1=0.8*c0,aeval='${sideOf(0)}|${sideOf(1)}':c=stereo`;
      const file = path.join(folder, 'faults', `${bed}-${faults.length === 0 ? 'whole' : 'faulty'}.flac`);
      ffmpeg('-f', 'lavfi', '-i', source(48_000), '-t', '30', '-af', graph, '-c:a', 'flac', '-sample_fmt', 's16', file);
      items.push(await itemOf(folder, file, lengthMs(file), { soundFaults: faults }));
    }
  }
  return items;
}
