import { editDistance } from '../../receipts/core/edit-distance.ts';

/** The known name that a mistyped one is nearest to; null where none is near. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: editDistance([...name], [...candidate]) }))
    .sort((a, b) => a.distance - b.distance);
  return nearest !== undefined && nearest.distance <= Math.max(2, name.length / 3) ? nearest.candidate : null;
}
