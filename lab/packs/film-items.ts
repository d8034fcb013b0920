import path from 'node:path';
import type { PackItem } from '../../contract/evaluation.ts';
import { buildFilm } from '../films/build-film.ts';
import { filmsOf } from '../films/catalogue.ts';
import { lengthMs } from './ffmpeg.ts';
import { itemOf } from './pack-item.ts';

/** Every n-th film of the set that was kept apart: all kinds, and all ways to store pictures. */
const everyNth = 2;

/** Draws films with known cuts and transitions. A film without transitions says by its cuts which shots it has. */
export async function filmItems(folder: string): Promise<PackItem[]> {
  const items: PackItem[] = [];
  for (const plan of filmsOf('kept').filter((_, at) => at % everyNth === 0)) {
    const file = path.join(folder, 'films', `${plan.name}.mkv`);
    const { cutsMs, transitions, ...drawn } = await buildFilm('ffmpeg', plan, file);
    // Of a film with a variable rate the last picture may be one that was left out.
    const durationMs = Math.min(drawn.durationMs, lengthMs(file));
    const [numerator, denominator] = plan.rate;
    const frameRate = { numerator, denominator };
    const edges = [0, ...cutsMs, durationMs];
    const shots = edges.slice(1).map((endMs, at) => ({ startMs: edges[at] ?? 0, endMs }));
    items.push(
      await itemOf(folder, file, durationMs, {
        cuts: { frameRate, atMs: [...cutsMs] },
        transitions: { frameRate, spans: transitions.map(({ startMs, endMs }) => ({ startMs, endMs })) },
        keyframes: transitions.length > 0 ? null : { shots },
      }),
    );
  }
  return items;
}
