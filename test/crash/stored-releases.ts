import { mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import type { Clock } from '../../contract/base/clock.ts';
import { unpackStores } from '../../fixtures/golden-store/archive.ts';
import { type Release, release } from '../../fixtures/golden-store/release.ts';
import { isSoak } from './copied-lives.ts';

/** The stores that each release left (`lab/cut-stores.ts`). */
export const releases = fileURLToPath(new URL('../../fixtures/golden-store/releases', import.meta.url));

/** Descriptions of the stores of each release, by its name, the oldest first. */
export const describedReleases: readonly (readonly [string, Release])[] = readdirSync(releases, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
  .map(({ name }) => [name, release.parse(JSON.parse(readFileSync(join(releases, name, 'release.json'), 'utf8')))]);

/** True if a store was cut from a full life, with a recognizer and a reader of the screen. */
export const isOfLife = (state: string): boolean =>
  /^(deletion|life)\.|^runtime\.running\.(recognize|readScreen)$/.test(state);

const kindOf = (state: string): string => state.slice(0, state.indexOf('.'));

/**
 * The stores of each release that add something. For every state it is the newest store with that version of the chart;
 * for every release, one store for each kind of actor.
 */
function tellingStores(): Map<string, ReadonlySet<string>> {
  const seen = new Set<string>();
  const telling = new Map<string, ReadonlySet<string>>();
  for (const [name, { stores, charts }] of describedReleases.toReversed()) {
    const kinds = new Set<string>();
    const chosen = Object.keys(stores).filter((state) => {
      const kind = kindOf(state);
      const isFirst = !kinds.has(kind);
      const written = `${state} of version ${charts[kind]?.version}`;
      const isNew = !seen.has(written);
      kinds.add(kind);
      seen.add(written);
      return isFirst || isNew;
    });
    telling.set(name, new Set(chosen));
  }
  return telling;
}

export const telling = tellingStores();

/** The stores of a release that are opened by tests of a tier. A soak opens all of them. */
export const storesAt = (tier: 'host' | 'process', name: string, { stores }: Release) =>
  Object.entries(stores).filter(
    ([state]) =>
      !isOfLife(state) &&
      (isSoak || telling.get(name)?.has(state) === true) &&
      (tier === 'process') === state.startsWith('videohost'),
  );

/** Unpacks some stores of a release into a new folder, which the caller removes. */
export function unpacked(name: string, states: readonly string[]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'older-stores-')));
  unpackStores(join(releases, name, 'stores.tar.br'), folder, (state) => states.includes(state));
  return folder;
}

/** A clock that begins a minute after a release was cut: what a store waits for must not be over because the store is old. */
export function clockAfter({ cutAt }: Release): Clock {
  const begun = systemClock.now();
  return { ...systemClock, now: () => cutAt + 60_000 + systemClock.now() - begun };
}
