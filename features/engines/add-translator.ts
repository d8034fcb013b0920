import { systemClock } from '../../actors/supervision/system-clock.ts';
import type { ProgramTranslator } from '../feature.ts';
import { EngineRefusal } from './engine-refusal.ts';
import type { EnginesCall } from './options.ts';
import { keepTranslatorRecord, removeTranslatorRecord, translatorRecordOf } from './translator-record.ts';
import { msPerLineOf, type TranslatorTestResult, translatorTested, translatorTestLines } from './translator-test.ts';

/** The translators of this machine that need no server, in their order. */
async function programTranslators({ features, settings }: EnginesCall): Promise<readonly ProgramTranslator[]> {
  const { environment } = await settings.configured();
  return features.flatMap(({ programTranslators: of }) => of?.(environment) ?? []);
}

/** The translator of this name; null if this machine has none. */
export const programTranslator = async (call: EnginesCall, name: string): Promise<ProgramTranslator | null> =>
  (await programTranslators(call)).find((each) => each.name === name) ?? null;

/** The translator of this name. Rejects with `unknown_engine`, and names those that are here. */
export async function demandTranslator(call: EnginesCall, name: string): Promise<ProgramTranslator> {
  const all = await programTranslators(call);
  const found = all.find((each) => each.name === name);
  if (found !== undefined) return found;
  const known = all.map((each) => each.name).join(', ');
  const hint =
    known === '' ? 'install a pair of Apertium, such as: apt-get install apertium-es-pt' : `${known} are here`;
  throw new EngineRefusal('unknown_engine', `there is no translator ${name} on this machine; ${hint}`);
}

/** Tries a translator. Writes nothing. Rejects with `EngineRefusal`. */
async function tried(call: EnginesCall, translator: ProgramTranslator): Promise<TranslatorTestResult> {
  const { settings, terminal, signal } = call;
  terminal.remark('trying the translator with one line, then with eight');
  return settings.withLauncher(async (launcher) => {
    const lines = translator.lines({ launcher, clock: systemClock, signal });
    try {
      return await translatorTested(lines, () => performance.now(), signal);
    } finally {
      await lines.close();
    }
  });
}

/** Tries a translator and keeps the result, beside the digest of what was tried. */
async function recorded(call: EnginesCall, translator: ProgramTranslator): Promise<TranslatorTestResult> {
  const selfTest = await tried(call, translator);
  const { configurationContentId, bytes } = translator.identity();
  await keepTranslatorRecord(call.engines, {
    schema: 'studio.translator-trial-record.v1',
    name: translator.name,
    triedAt: new Date(systemClock.now()).toISOString(),
    configurationContentId,
    bytes,
    selfTest,
  });
  return selfTest;
}

/** Adds a translator of this machine: tries it, and has the settings name it if it is for use. Rejects with `EngineRefusal`. */
export async function addTranslator(call: EnginesCall, name: string, isForUse: boolean): Promise<void> {
  const { terminal, settings } = call;
  const translator = await demandTranslator(call, name);
  terminal.remark(`${name}: ${translator.text}; nothing is sent`);
  const selfTest = await recorded(call, translator);
  if (isForUse) {
    const { settings: now } = await settings.configured();
    const { set, unset } = translator.settingsWith(now);
    if (!(await settings.change(set, unset)))
      throw new EngineRefusal('settings_refused', `${name} was tried, and the settings do not name it`);
  }
  terminal.result({ schema: 'studio.translator-in-use.v1', name, isInUse: isForUse, ...selfTest }, [
    `${name} is ${isForUse ? 'in use' : `here; use it with engines use ${name}`}`,
    ...translatorTestLines(selfTest),
  ]);
}

export async function testTranslator(call: EnginesCall, name: string): Promise<void> {
  const selfTest = await recorded(call, await demandTranslator(call, name));
  call.terminal.result({ schema: 'studio.translator-trial.v1', name, ...selfTest }, translatorTestLines(selfTest));
}

/** Takes a translator out of the settings, with the record of its trial. Its program and its data stay. */
export async function removeTranslator(call: EnginesCall, translator: ProgramTranslator): Promise<void> {
  const { settings, engines, terminal } = call;
  const { name } = translator;
  const { settings: now } = await settings.configured();
  const wasInUse = translator.isUsed(now);
  const { set, unset } = translator.settingsWithout(now);
  if (wasInUse && !(await settings.change(set, unset)))
    throw new EngineRefusal('settings_refused', `${name} is in use, and was not removed`);
  await removeTranslatorRecord(engines, name);
  terminal.result({ schema: 'studio.translator-removed.v1', name, wasInUse }, [
    `${name} was removed${wasInUse ? ' from the settings' : ''}; its package stays installed`,
  ]);
}

/** A translator as the list of engines shows it. */
export interface TranslatorRow {
  readonly name: string;
  readonly state: 'in_use' | 'installed' | 'available';
  readonly bytes: number | null;
  readonly from: string;
  readonly to: string;
  /** Milliseconds for a line; null if it was not tried as it is now. */
  readonly msPerLine: number | null;
}

/** The translators that are in use or were tried, and the others of this machine. */
export async function translatorRows(call: EnginesCall): Promise<readonly TranslatorRow[]> {
  const { settings: now } = await call.settings.configured();
  const rows: TranslatorRow[] = [];
  for (const translator of await programTranslators(call)) {
    const { name, from, to } = translator;
    const record = await translatorRecordOf(call.engines, name);
    const state = translator.isUsed(now) ? 'in_use' : record === null ? 'available' : 'installed';
    const msPerLine = record === null ? null : msPerLineOf(record.selfTest);
    rows.push({ name, state, from, to, bytes: record?.bytes ?? null, msPerLine });
  }
  return rows;
}
