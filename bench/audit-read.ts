import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { openStore, store } from '../test/actors/reopening/stored-studies.ts';
import { type StoredStudy, storedStudy } from '../test/receipts/evidence/stored-study.ts';
import type { Client } from './client.ts';
import type { Figure, Row } from './figure.ts';
import { withHost } from './host-process.ts';
import { median, millisecondsOf, quantity } from './measuring.ts';

const coldReads = 12;
const warmReads = 200;

export const auditRead: Row = {
  name: 'audit-read',
  measures: 'Audits of a runtime at all limits of its evidence: 16 reads, 1,024 facts, 32 claims.',
  grows: 'With the evidence of one runtime, up to its limits. The host verifies it once.',
  async measure(folder) {
    const dataRoot = `${folder}/data`;
    const studies = Array.from({ length: coldReads }, (_, attempt) =>
      storedStudy({ version: 1, windows: 1024, attempt: `bench-${attempt}` }),
    );
    const opened = await openStore(dataRoot);
    const paths: string[][] = [];
    for (const study of studies) {
      await store(opened, study);
      paths.push([...study.files.keys()].map((contentId) => opened.objectStore.locate(contentId)));
    }
    await opened.close();
    const hashes: number[] = [];
    for (const files of paths) hashes.push(await millisecondsOf(() => hashed(files)));
    return withHost(dataRoot, ({ client }) => figures(client, studies, median(hashes)));
  },
};

const listOf = ({ run }: StoredStudy): string => `/v1/runtimes/${run.record.runtimeId}/assessment-audits`;

async function hashed(files: readonly string[]): Promise<void> {
  for (const file of files)
    createHash('sha256')
      .update(await readFile(file))
      .digest();
}

async function asked(client: Client, path: string): Promise<void> {
  const { status, bytes } = await client.get(path);
  if (status !== 200) throw new Error(`an audit was answered with ${status}: ${bytes.toString('utf8', 0, 300)}`);
}

async function figures(client: Client, studies: readonly StoredStudy[], hashing: number): Promise<Figure[]> {
  const cold: number[] = [];
  for (const study of studies) cold.push(await millisecondsOf(() => asked(client, listOf(study))));
  const [, known] = studies.toReversed();
  const path = known === undefined ? '' : listOf(known);
  const warm: number[] = [];
  for (let turn = 0; turn < warmReads; turn += 1) warm.push(await millisecondsOf(() => asked(client, path)));
  const information = { mustReach: '-', reached: null } as const;
  const reference = `${quantity(hashing, 'ms')} to read and hash its files`;
  // The first read of a process also compiles what it runs.
  const [first = 0, ...later] = cold;
  const row = (figure: string, measured: number): Figure => ({
    figure: `audit read at the limits of the evidence, ${figure}`,
    measured: quantity(measured, 'ms'),
    reference,
    ratio: measured / hashing,
    ...information,
  });
  return [row('first of a process', first), row('cold', median(later)), row('warm', median(warm))];
}
