import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { syncFolder, writeSyncedFile } from '../../storage/objects/durable-file.ts';
import { readSmallFile } from '../../storage/objects/small-file.ts';
import { engineFolder, engineName } from './installation.ts';
import { translatorTestResult } from './translator-test.ts';

/** The record of a translator that was tried on this machine, in `translator.json` of its folder. */
export const translatorRecord = z.strictObject({
  schema: z.literal('studio.translator-trial-record.v1'),
  name: z.string().min(1),
  triedAt: z.string(),
  /** The digest of its program and data, or of its server and model, as captions name it. */
  configurationContentId: z.string(),
  bytes: z.number().int().nonnegative(),
  selfTest: translatorTestResult,
});

export type TranslatorRecord = z.infer<typeof translatorRecord>;

const recordName = 'translator.json';

/** The record of a translator; null if it was never tried, or if the record cannot be read. */
export async function translatorRecordOf(engines: string, name: string): Promise<TranslatorRecord | null> {
  if (!engineName.test(name)) return null;
  const bytes = await readSmallFile(join(engines, name, recordName)).catch(() => null);
  try {
    return bytes === null ? null : translatorRecord.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    return null;
  }
}

export async function keepTranslatorRecord(engines: string, record: TranslatorRecord): Promise<void> {
  const folder = await engineFolder(engines, record.name);
  await rm(join(folder, recordName), { force: true });
  await writeSyncedFile(join(folder, recordName), Buffer.from(`${JSON.stringify(record, null, 2)}\n`));
  await syncFolder(folder);
}

export async function removeTranslatorRecord(engines: string, name: string): Promise<void> {
  await rm(join(engines, name), { recursive: true, force: true });
}
