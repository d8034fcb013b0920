import { TranslationAsker } from '../../actors/captions/translation-asker.ts';
import { type LabeledTranslations, translationDefects } from '../../contract/evaluation.ts';
import type { Detector } from '../../executors/detector/detector.ts';
import type { HostedChat } from '../../executors/model-server/hosted-chat.ts';
import { resultOfSteps } from '../../formats/steps.ts';
import {
  caughtOf,
  type DefectCounts,
  labeledLineId,
  type PlantedAnswers,
  plantedAnswers,
  type TranslationCounts,
  withheldOf,
} from '../../receipts/evaluation/captions.ts';
import { gatesOver, verdictsOf } from '../../rules/translation/plan.ts';

const none: PlantedAnswers = new Map();

/**
 * The time at which a model gives a planted wrong answer. `first`: the first time that it translates a line. `always`: every
 * time. `seen`: every time that the wrong answer's own source is before it.
 */
type Persistence = 'first' | 'always' | 'seen';

interface Question {
  readonly lines: Readonly<Record<string, string>>;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The other lines that a wrong answer comes from: those whose translations it has, and of an empty one those that have its own. */
function sourcesOf({ lines }: LabeledTranslations, planted: PlantedAnswers, at: number): string[] {
  const own = lines[at]?.translation ?? '';
  const wrong = planted.get(at) ?? null;
  return lines.flatMap(({ source, translation }, other) => {
    const isSource = wrong === '' ? planted.get(other)?.includes(own) : wrong?.includes(translation);
    return other !== at && isSource === true ? [source] : [];
  });
}

/** A model in the place of the real one: right but for what is planted. */
function seededModel(label: LabeledTranslations, planted: PlantedAnswers, persistence: Persistence): HostedChat {
  const { lines } = label;
  const asked = new Set<string>();
  const sources = new Map([...planted.keys()].map((at) => [at, sourcesOf(label, planted, at)]));
  const isWrong = (at: number, { lines: wanted, before, after }: Question): boolean => {
    if (!planted.has(at)) return false;
    if (persistence === 'first') return !asked.has(labeledLineId(at));
    const seen = new Set([...Object.values(wanted), ...before, ...after]);
    return persistence === 'always' || (sources.get(at) ?? []).every((source) => seen.has(source));
  };
  return {
    async ask({ user }) {
      const question = JSON.parse(user) as Question;
      const { lines: wanted } = question;
      const answers = lines.flatMap(({ source, translation }, at) => {
        const id = labeledLineId(at);
        if (!Object.hasOwn(wanted, id)) return [];
        const isPlanted = isWrong(at, question);
        asked.add(id);
        const said = isPlanted ? (planted.get(at) ?? null) : translation;
        return said === null ? [] : [[id, { source, translation: said }] as const];
      });
      const text = JSON.stringify({ lines: Object.fromEntries(answers) });
      return { text, responseId: null, model: null, inputTokens: null, outputTokens: null };
    },
  };
}

/** Has the lines of a label translated by a seeded model, question by question as a production does; their verdicts. */
async function verdictsWith(
  label: LabeledTranslations,
  chat: HostedChat,
  detector: Pick<Detector, 'identify'>,
  signal: AbortSignal,
) {
  const { sourceLanguage, targetLanguage } = label;
  const lines = label.lines.map(({ source }, at) => ({ id: labeledLineId(at), text: source }));
  const wanted = { lines, sourceLanguage, targetLanguage };
  const asker = new TranslationAsker({ chat, detector, gates: gatesOver.twoAnswers });
  return resultOfSteps(verdictsOf({ ...wanted, ...(await asker.answers(wanted, signal)) }));
}

/**
 * Plants every defect in the translations of a label, and counts the lines that the gates withhold, right ones too. Languages are
 * identified as in a production; no server is involved. Rejects with failures of the detector, and with the reason of `signal`.
 */
export async function translationTrial(
  label: LabeledTranslations,
  detector: Pick<Detector, 'identify'>,
  signal: AbortSignal,
): Promise<TranslationCounts> {
  const judged = (planted: PlantedAnswers, persistence: Persistence) =>
    verdictsWith(label, seededModel(label, planted, persistence), detector, signal);
  const withheld = withheldOf(label, await judged(none, 'always'));
  const defects: DefectCounts[] = [];
  for (const defect of translationDefects) {
    const planted = plantedAnswers(label, defect);
    defects.push({
      planted: planted.size,
      caught: caughtOf(planted, await judged(planted, 'always')),
      caughtTogether: caughtOf(planted, await judged(planted, 'first')),
      caughtSeen: caughtOf(planted, await judged(planted, 'seen')),
    });
  }
  return { lines: label.lines.length, withheld, defects };
}
