import type { CaptionPlan } from '../../contract/captions/caption-plan.ts';
import type { Finding, OverviewClaim, RuntimeOverview } from '../../contract/overview.ts';
import { Badge, Facts, Identity } from '../parts/facts.tsx';
import { trackLanguage } from '../timeline/lanes.ts';
import { whatWords } from '../words/cause-words.ts';
import { languageName } from '../words/language-name.ts';
import { clockTime, counted, rangeCode } from '../words/numbers.ts';
import { linesByReason, sentence, wordsOf } from '../words/sentence.ts';

/** A length in words: `24.5 s`, and `3:16` from a minute on. */
const lengthWords = (seconds: number): string =>
  seconds < 60 ? `${Math.round(seconds * 10) / 10} s` : clockTime(Math.round(seconds) * 1000).replace(/\.000$/, '');

type Measured = (name: Finding['measures'][number]['name']) => number | null;

/** Seconds that it lasts in all, with their share of the range where the host states it. */
const lasting = (measured: Measured): string => {
  const [total, share] = [measured('total'), measured('share')];
  return total === null ? '' : `${lengthWords(total)}${share === null ? '' : `, ${Math.round(share)} % of the range`}`;
};

/** Repeated stretches in words: `26 times, 34 s`. */
const spread = (measured: Measured): string =>
  `${measured('count') === 1 ? 'once' : `${measured('count')} times`}, ${lasting(measured)}`;

/** Kinds with a sentence of their own. The others have the words of the host, below their titles. */
const sentences: Readonly<Record<string, (measured: Measured, finding: Finding) => string>> = {
  speech_activity: (measured) => `Speech: ${counted(measured('count') ?? 0, 'passage')}, ${lasting(measured)}.`,
  silence: (measured) => `Silence: ${spread(measured)}.`,
  shot_changes: (measured) => `Cuts: ${(measured('count') ?? 0).toLocaleString()}.`,
  'language-ranges-receipt': (_, { title, languages }) =>
    `${sentence(title)}: ${languages.map(({ language, totalMs }) => `${languageName(language)} in ${lengthWords((totalMs ?? 0) / 1000)}`).join(', ')}.`,
  frozen_frames: (measured) => `Frozen picture: ${spread(measured)}.`,
  black_frames: (measured) => `Black picture: ${spread(measured)}.`,
};

/** The kinds that captions are about; those of pictures and sound come after them. */
const ofWords: readonly string[] = [
  ...['language-ranges-receipt', 'speech_activity', 'subtitle_track', 'transcript', 'screen_text'],
];

/** Kinds without a sentence of their own: the timeline draws them, or the sentence of the subtitles has them. */
const untold: readonly string[] = ['keyframes', 'waveform', 'text_language'];

/** A picture that every player shows as it is. */
const isPlain = ({ kind, fieldOrders: [first, ...others] }: Finding): boolean =>
  kind === 'interlacing' && first === 'progressive' && others.length === 0;

const isNothing = ({ placeCount, measures }: Finding): boolean =>
  measures.length === 0 ? placeCount === 0 : measures.some(({ name, value }) => name === 'count' && value === 0);

/** The subtitles of a track, with the language that was found in them. */
function subtitleWords(finding: Finding, findings: readonly Finding[]): string {
  const language = trackLanguage(finding, findings);
  const count = finding.measures.find(({ name }) => name === 'count')?.value;
  const lines = typeof count === 'number' ? counted(count, 'line') : finding.brief;
  return `${sentence(finding.title)}: ${lines}${language === null ? '' : ` in ${language}`}.`;
}

/**
 * The findings of a study in sentences, those of speech and subtitles or the others, each in the order of the host. Kinds without
 * findings, and kinds that could not be measured, are below the timeline.
 */
export function foundSentences(findings: readonly Finding[], isOfWords: boolean): readonly string[] {
  return findings
    .filter(({ kind }) => ofWords.includes(kind) === isOfWords)
    .filter((finding) => finding.state === 'available' && !isNothing(finding))
    .filter((finding) => !untold.includes(finding.kind) && !isPlain(finding))
    .map((finding) => {
      const { kind, title, brief, measures } = finding;
      if (kind === 'subtitle_track') return subtitleWords(finding, findings);
      const measured: Measured = (name) => measures.find((each) => each.name === name)?.value ?? null;
      return sentences[kind]?.(measured, finding) ?? `${sentence(title)}: ${brief}.`;
    });
}

/** A claim in a sentence, with the times in the form of this page. */
function claimSentence({ kind, value, windows, totalMs, range }: OverviewClaim): string {
  const what =
    kind === 'speech_activity'
      ? value === 'speech'
        ? 'Speech'
        : 'No speech'
      : kind === 'language_identity' && value !== null
        ? languageName(value)
        : sentence(wordsOf(kind));
  const { startMs, endMs } = range;
  return `${what} in ${counted(windows, 'passage')}, ${lengthWords(totalMs / 1000)} in all, within ${rangeCode(startMs, endMs)}.`;
}

const withheldWords = (cause: RuntimeOverview['withheld'][number]['cause'], reasonCode: string): string =>
  cause === null ? wordsOf(reasonCode) : whatWords([cause]);

interface StudyAnswerProps {
  readonly overview: RuntimeOverview;
  /** The plan of its captions; null if it is unknown, or beside this answer. */
  readonly plan?: Pick<CaptionPlan, 'counts'> | null;
}

/** The answer of a study: what was found, what is claimed of it, and what is withheld. */
export function StudyAnswer({ overview, plan = null }: StudyAnswerProps) {
  const { findings, claims, withheld } = overview;
  const isLive = overview.study.reason === null && overview.lifecycle !== 'terminal';
  const gaps = plan?.counts.gaps ?? 0;
  const found = [
    ...(gaps === 0 ? [] : [`Speech without a line: ${counted(gaps, 'passage')}.`]),
    ...foundSentences(findings, true),
  ];
  const measured = foundSentences(findings, false);
  return (
    // It scrolls beside the player, so the keyboard reaches it.
    <div class="answer" tabIndex={0} role="region" aria-label="What the study says">
      <section aria-labelledby="found">
        <h2 id="found">What was found</h2>
        {found.length + measured.length === 0 ? (
          <p class="quiet">{isLive ? 'Nothing yet.' : 'Nothing.'}</p>
        ) : (
          <ul class="plain answer-list">
            {found.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        )}
        {measured.length > 0 && (
          <details>
            <summary>Pictures and sound</summary>
            <ul class="plain answer-list">
              {measured.map((words) => (
                <li key={words}>{words}</li>
              ))}
            </ul>
          </details>
        )}
      </section>
      <section aria-labelledby="claimed">
        <h2 id="claimed">Claims</h2>
        {claims.length === 0 ? (
          <p class="quiet">{isLive ? 'No claims yet.' : 'No claims.'}</p>
        ) : (
          <ul class="plain answer-list">
            {claims.map((claim) => (
              <li key={`${claim.kind} ${claim.value} ${claim.states}`}>
                {claimSentence(claim)}{' '}
                {claim.states.map((state) => (
                  <Badge key={state} state={state} />
                ))}
              </li>
            ))}
          </ul>
        )}
        {withheld.length > 0 && (
          <ul class="plain answer-list" aria-label="Not there, with the reason">
            {linesByReason(
              withheld.map(({ what, cause, reasonCode }) => ({ what, why: withheldWords(cause, reasonCode) })),
            ).map((line) => (
              <li key={line} class="quiet">
                {line}
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}

/** The ids of a study and its reason codes, for programs and those who check. */
export function Technical({ overview }: { readonly overview: RuntimeOverview }) {
  const { runtimeId, commandId, journalHead, source, findings, withheld } = overview;
  return (
    <details class="technical">
      <summary>Technical</summary>
      <Facts
        of={[
          ['Study', <Identity id={runtimeId} />],
          ['Command', <Identity id={commandId} />],
          ['Events in its journal', journalHead.toLocaleString()],
          ['Source', <Identity id={source.sourceSessionId} />],
          ['Revision of the source', <Identity id={source.sourceRevisionId} />],
          ['Bytes of the source', <Identity id={source.contentId} />],
          ...(['decision', 'review', 'captions', 'check'] as const).flatMap((name) =>
            overview[name].receiptIds.map((id) => [`Receipt: ${name}`, <Identity key={id} id={id} />] as const),
          ),
          ...findings.flatMap(({ title, artifactId, reasonCode }) =>
            artifactId === null && reasonCode === null
              ? []
              : [[sentence(title), artifactId === null ? reasonCode : <Identity id={artifactId} />] as const],
          ),
          ...withheld.map(({ what, reasonCode }) => [`Withheld: ${what}`, reasonCode] as const),
        ]}
      />
    </details>
  );
}
