import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { AnyStateMachine } from 'xstate';
import { actorMachines } from '../../machines/catalogue.ts';
import { captionProductionMigrations } from '../../machines/migrations/caption-production.ts';
import type { ChartMigrations, StoredChart } from '../../machines/migrations/chart-migrations.ts';
import { stateNameOf, statesOf } from '../../machines/migrations/chart-states.ts';
import { languageExplanationMigrations } from '../../machines/migrations/language-explanation.ts';
import { ownedIngestMigrations } from '../../machines/migrations/owned-ingest.ts';
import { studyMigrations } from '../../machines/migrations/study.ts';
import { videohostIngestMigrations } from '../../machines/migrations/videohost-ingest.ts';
import type { ReleaseCharts } from '../../scripts/stores/describe-release.ts';

const releases = fileURLToPath(new URL('../../fixtures/golden-store/releases', import.meta.url));

const tables: Readonly<Record<string, ChartMigrations>> = {
  'caption-production': captionProductionMigrations,
  'language-explanation': languageExplanationMigrations,
  'owned-ingest': ownedIngestMigrations,
  runtime: studyMigrations,
  'videohost-ingest': videohostIngestMigrations,
};

/** No actor runs this chart any more: `actors/review/cut-reviews.ts` ends what an earlier version was cut in. */
const withoutActors: readonly string[] = ['publish-review'];

const chartsOf = (release: string): ReleaseCharts =>
  JSON.parse(readFileSync(join(releases, release, 'charts.json'), 'utf8'));

const released = readdirSync(releases, { withFileTypes: true }).filter((entry) => entry.isDirectory());

/** What a row of an older version holds after all migrations. */
function migrated(table: ChartMigrations, from: number, to: number, stored: StoredChart): StoredChart {
  let current = stored;
  for (let version = from; version < to; version += 1) {
    const name = stateNameOf(current.value);
    const migrate = table[version]?.[name];
    if (migrate === undefined) throw new Error(`no migration leads from ${name} of version ${version}`);
    current = migrate(current);
  }
  return current;
}

test('every chart that actors run has a table of migrations', (t) => {
  t.deepEqual(Object.keys(tables).sort(), actorMachines.map(({ id }) => id).sort());
});

for (const { name: release } of released) {
  for (const [id, { version, states, context, input }] of Object.entries(chartsOf(release).charts)) {
    if (withoutActors.includes(id)) continue;
    test(`${id} as ${release} left it, in any state, has a way to the chart of this program`, (t) => {
      const machine: AnyStateMachine | undefined = actorMachines.find((each) => each.id === id);
      if (machine === undefined) return t.fail(`${id} is no chart any more: say what becomes of its actors`);
      const present = Number(machine.version);
      const known = statesOf(machine);
      // Else rows of two forms would bear one number.
      if (version === present) t.deepEqual(known, Object.keys(states), 'a chart whose states change has a new version');
      for (const value of Object.values(states)) {
        const stored = migrated(tables[id] ?? {}, version, present, { value, context, input });
        const snapshot = machine.resolveState({ value: stored.value, context: stored.context });
        t.true(known.includes(stateNameOf(snapshot.value)), JSON.stringify(value));
      }
    });
  }
}

test('the name of a state is its path, and a parallel state is one', (t) => {
  t.is(stateNameOf('probing'), 'probing');
  t.is(stateNameOf({ sealing: 'writing' }), 'sealing.writing');
  t.is(stateNameOf({ running: { detect: { speech: 'measuring', silence: 'available' } } }), 'running.detect');
});
