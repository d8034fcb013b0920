import { spokenLanguage } from '../../client/studies.ts';
import type { RuntimeRow } from '../../contract/study/status.ts';
import type { RecognizedStudy } from '../../features/feature.ts';
import { areOneLanguage } from '../../rules/languages.ts';
import { asTyped, type CommandCall, WrongCall } from '../terminal/call.ts';
import { checkLanguage } from '../terminal/language-tag.ts';
import { spokenLanguageOf } from './caption.ts';
import { attemptNames, plannedWay, type WantedCaptions } from './caption-ways.ts';
import { sourceOf } from './ingest.ts';
import { studiesOfFilm } from './named.ts';

/** So many studies of one recognizer may fail before the command gives up. */
const mostAttempts = 3;

/** True if the recognizer of a study heard words. */
async function hasWords({ host }: CommandCall, runtimeId: string): Promise<boolean> {
  const { evidence } = await host.evidence(runtimeId, 'transcript');
  return evidence.some(
    (row) =>
      row.kind === 'transcript' &&
      row.state === 'available' &&
      row.facts.some((fact) => fact.kind === 'transcript_line'),
  );
}

/** The newest study of a film that heard words in a language, of the whole film. */
async function earlier(call: CommandCall, film: string, language: string, durationMs: number) {
  const all = await studiesOfFilm(call, film).catch((error: unknown): readonly RuntimeRow[] => {
    if (error instanceof WrongCall) return [];
    throw error;
  });
  for (const { runtimeId, lifecycle, range } of all) {
    if (lifecycle !== 'terminal' || range.startMs > 0 || range.endMs < durationMs) continue;
    const { study } = await call.host.overview(runtimeId);
    const { languages } = study.sourceLanguage;
    if (languages.some((tag) => areOneLanguage(tag, language)) && (await hasWords(call, runtimeId))) return runtimeId;
  }
  return null;
}

/**
 * A study whose recognizer heard words in a film: the newest, or a new one. It is `recognized` of a call of a verb. Throws `WrongCall`
 * with the ways to a recognizer, and for a film without words.
 */
export async function recognizedStudy(call: CommandCall, film: string): Promise<RecognizedStudy> {
  const { host, given, terminal, signal } = call;
  const named = given.single('language');
  if (named !== undefined) checkLanguage(named, '--language');
  const source = await sourceOf(call, film);
  const probe = await host.mediaProbe(source.sourceSessionId);
  const failure = `no words of ${film} are known`;
  if (!probe.tracks.some(({ type }) => type === 'audio')) throw new WrongCall(`${failure}: it has no sound`);
  const language = await spokenLanguageOf(call, { source, probe, isOnly: true, flag: 'language' });
  const { label, durationMs } = source;
  const known = given.has('again') ? null : await earlier(call, source.label, language, durationMs);
  if (known !== null) return { runtimeId: known, label, language };
  const request = {
    requestedSourceLanguage: spokenLanguage(language),
    targetLanguage: language,
    outputDepth: 'captions',
    range: { startMs: 0, endMs: durationMs },
  } as const;
  const wanted: WantedCaptions = { film, source, request, spoken: language, lacking: [], ofSpeech: { failure } };
  const row = await plannedWay(call, wanted);
  const nameOf = await attemptNames(call, wanted, row);
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const onProgress = (progress: Parameters<typeof terminal.measured>[1]) => terminal.measured(label, progress);
    const asked = { ...request, clientRequestId: nameOf(attempt), recognition: row.recognition };
    const study = host.study(source, asked, { signal, onProgress });
    const { runtimeId, terminal: hadEnded } = await study.started;
    const { lifecycle } = await study.ended();
    if (lifecycle === 'terminal' && (await hasWords(call, runtimeId))) return { runtimeId, label, language };
    // One that failed before is tried again; one that has just failed says why.
    if (hadEnded) continue;
    const { situation } = await host.overview(runtimeId);
    throw new WrongCall(`${failure}: ${situation.text}; ${asTyped(`evidence ${runtimeId}`)} lists what was found`);
  }
  throw new WrongCall(`${failure}: its recognizer heard none, ${mostAttempts} times; use another recognizer`);
}
