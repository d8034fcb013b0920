import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { AnyStateMachine } from 'xstate';
import { journalEvent } from '../../contract/journal.ts';
import { type Release, release as releaseShape } from '../../fixtures/golden-store/release.ts';
import { actorMachines } from '../../machines/catalogue.ts';
import {
  type ChartMigrations,
  captionProductionMigrations,
  languageExplanationMigrations,
  ownedIngestMigrations,
  type StoredChart,
  stateNameOf,
  statesOf,
  studyMigrations,
  videohostIngestMigrations,
} from '../../machines/migrations.ts';
import { storeFormat } from '../../storage/objects/data-root.ts';

const releases = fileURLToPath(new URL('../../fixtures/golden-store/releases', import.meta.url));

/** Walked by a command, without an actor: what 0.1.0 left of its actors is brought to an end by `actors/review/publish-reviews.ts`. */
const commandCharts = ['publish-review'];

const tables: Readonly<Record<string, ChartMigrations>> = {
  'caption-production': captionProductionMigrations,
  'language-explanation': languageExplanationMigrations,
  'owned-ingest': ownedIngestMigrations,
  runtime: studyMigrations,
  'videohost-ingest': videohostIngestMigrations,
};

const described = (release: string): Release =>
  releaseShape.parse(JSON.parse(readFileSync(join(releases, release, 'release.json'), 'utf8')));

const released = readdirSync(releases, { withFileTypes: true }).filter((entry) => entry.isDirectory());

/** The content of a row of an older version after all migrations. */
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

test('every chart that an actor follows has a table of migrations', (t) => {
  t.deepEqual(Object.keys(tables).sort(), actorMachines.map(({ id }) => id).sort());
});

for (const { name: release } of released) {
  for (const [id, { version, states, context, input }] of Object.entries(described(release).charts)) {
    if (commandCharts.includes(id)) continue;
    test(`${id} as ${release} left it, in any state, has a way to this chart`, (t) => {
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

for (const { name: release } of released) {
  test(`a chart that ${release} has in another version has another store format too`, (t) => {
    const { format, charts } = described(release);
    t.true(format <= storeFormat);
    // Else that release would take a data root of this program, and end the actors that it does not understand.
    if (format < storeFormat) return;
    const versions = Object.keys(tables).map((id) => [
      id,
      Number(actorMachines.find((each) => each.id === id)?.version),
    ]);
    t.deepEqual(
      Object.fromEntries(versions),
      Object.fromEntries(Object.keys(tables).map((id) => [id, charts[id]?.version])),
    );
  });
}

for (const { name: release } of released) {
  test(`an event that journals of ${release} cannot hold has another store format`, (t) => {
    const { format, eventTypes } = described(release);
    // Else that release would read past the event, and export captions without their corrections.
    if (format < storeFormat) {
      t.pass();
      return;
    }
    const present = journalEvent.options.map(({ shape }): string => shape.type.value).sort();
    t.deepEqual(present, eventTypes);
  });
}

test('the name of a state is its path, and a parallel state is one', (t) => {
  t.is(stateNameOf('probing'), 'probing');
  t.is(stateNameOf({ sealing: 'writing' }), 'sealing.writing');
  t.is(stateNameOf({ running: { detect: { speech: 'measuring', silence: 'available' } } }), 'running.detect');
});
