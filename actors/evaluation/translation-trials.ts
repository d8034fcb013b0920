import type { LabelledTranslations } from '../../contract/evaluation/evaluation-pack.ts';
import { translationDefects } from '../../contract/evaluation/evaluation-receipt.ts';
import type { Detector } from '../../executors/detector/detector.ts';
import type { HostedChat } from '../../executors/explanations/hosted-chat.ts';
import { verdictsOf } from '../../receipts/captions/translation-plan.ts';
import {
  caughtOf,
  type DefectCounts,
  labelledLineId,
  type TranslationCounts,
  withheldOf,
} from '../../receipts/evaluation/score-translations.ts';
import { type PlantedAnswers, plantedAnswers } from '../../receipts/evaluation/translation-defects.ts';
import { TranslationAsker } from '../captions/translation-asks.ts';

const none: PlantedAnswers = new Map();

/** A model in the place of the real one: right but for what is planted, in the first answer for a line or in every one. */
function seededModel({ lines }: LabelledTranslations, planted: PlantedAnswers, isAlways: boolean): HostedChat {
  const asked = new Set<string>();
  return {
    async ask({ user }) {
      const { lines: wanted } = JSON.parse(user) as { lines: Readonly<Record<string, string>> };
      const answers = lines.flatMap(({ source, translation }, at) => {
        const id = labelledLineId(at);
        if (!Object.hasOwn(wanted, id)) return [];
        const isPlanted = planted.has(at) && (isAlways || !asked.has(id));
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
  label: LabelledTranslations,
  chat: HostedChat,
  detector: Pick<Detector, 'identify'>,
  signal: AbortSignal,
) {
  const { sourceLanguage, targetLanguage } = label;
  const lines = label.lines.map(({ source }, at) => ({ id: labelledLineId(at), text: source }));
  const wanted = { lines, sourceLanguage, targetLanguage };
  return verdictsOf({ ...wanted, ...(await new TranslationAsker({ chat, detector }).answers(wanted, signal)) });
}

/**
 * Plants every defect in the translations of a label, and counts what the gates withhold: of right lines too. Languages are
 * identified as in a production; no server is asked. Rejects with failures of the detector, and with the reason of `signal`.
 */
export async function translationTrial(
  label: LabelledTranslations,
  detector: Pick<Detector, 'identify'>,
  signal: AbortSignal,
): Promise<TranslationCounts> {
  const judged = (planted: PlantedAnswers, isAlways: boolean) =>
    verdictsWith(label, seededModel(label, planted, isAlways), detector, signal);
  const withheld = withheldOf(label, await judged(none, true));
  const defects: DefectCounts[] = [];
  for (const defect of translationDefects) {
    const planted = plantedAnswers(label, defect);
    const [always, together] = [await judged(planted, true), await judged(planted, false)];
    defects.push({
      planted: planted.size,
      caught: caughtOf(planted, always),
      caughtTogether: caughtOf(planted, together),
    });
  }
  return { lines: label.lines.length, withheld, defects };
}
