import type { ExecutionContext } from 'ava';
import type { ActorDefinition } from '../../../actors/supervision/actor-definition.ts';
import type { CaptionReference } from '../../../contract/captions/caption-production.ts';
import type { ExplanationRequest } from '../../../contract/explanations/explanation.ts';
import type { JournalEvent } from '../../../contract/journal.ts';
import type {
  Explained,
  ExplainerQuestion,
  LanguageExplainer,
} from '../../../features/explanations/engine/language-explainer.ts';
import { explanationActor } from '../../../features/explanations/explanation-actor.ts';
import { LanguageExplanations } from '../../../features/explanations/language-explanations.ts';
import { type CaptionBench, openCaptionBench } from '../../actors/captions/caption-bench.ts';
import { configuration, execution, output, prompt } from '../../receipts/explanations/explained-captions.ts';

/** The explainer of a bench: the test decides each answer. */
export interface ScriptedExplainer extends LanguageExplainer {
  readonly questions: ExplainerQuestion[];
  answer: (signal: AbortSignal) => Promise<Explained>;
}

/** Answers every question at once, until the test wants something else. */
export function scriptedExplainer(): ScriptedExplainer {
  const explainer: ScriptedExplainer = {
    prompt,
    configuration,
    questions: [],
    answer: async () => ({ output, execution }),
    explain: (question, signal) => {
      explainer.questions.push(question);
      return explainer.answer(signal);
    },
  };
  return explainer;
}

export interface ExplanationBenchOptions {
  readonly explainer: ScriptedExplainer | null;
  /** Changes what the supervisor knows of explanations. */
  readonly definition?: (
    definition: ActorDefinition<'language-explanation'>,
  ) => Partial<ActorDefinition<'language-explanation'>>;
}

/** The services of reviews, captions and explanations over a real store, as one process would have them. */
export async function openExplanationBench(
  t: ExecutionContext,
  root: string,
  { explainer, definition }: ExplanationBenchOptions,
) {
  const bench = await openCaptionBench(t, root);
  const { ledger, objectStore, supervisor, runtimes, mutex, report, stops } = bench;
  const committed = () => undefined;
  const usual = explanationActor({
    ledger,
    objectStore,
    supervisor,
    runtimes,
    explainer,
    committed,
    report,
  });
  const explaining: ActorDefinition<'language-explanation'> = { ...usual, ...definition?.(usual) };
  const explanations = new LanguageExplanations({
    definition: explaining,
    supervisor,
    objectStore,
    runtimes,
    mutex,
    explainer,
  });
  supervisor.register(explaining);
  stops.push((runtimeId) => explanations.stop(runtimeId));
  return {
    ...bench,
    explanations,
    /** The words of explanations, reviews and captions in the journal, from this event on. */
    said: async (runtimeId: string, after: number): Promise<string[]> => {
      const { events } = await bench.store.ledger.journalPage(runtimeId, after, 100);
      return events.map((bytes) => {
        const event = JSON.parse(Buffer.from(bytes).toString('utf8')) as JournalEvent;
        if (event.type === 'language.explanation_failed') return `failed ${event.data.reason.message}`;
        return event.type.replace(/^(language\.explanation|publish\.review)[._]/, '');
      });
    },
  };
}

/** A question about the first two code points of a line's source side. */
export async function questionIn({ reads }: CaptionBench, runtimeId: string, line = 0): Promise<ExplanationRequest> {
  const [result] = (await reads.results(runtimeId)).results;
  const asked = result?.artifact.lines[line];
  if (result === undefined || asked === undefined) throw new RangeError(`no line ${line}`);
  const { jobId, captionArtifactId, captionContentId, receiptArtifactId, receiptId, receiptContentId } =
    result.verification;
  const caption: CaptionReference = {
    jobId,
    artifactId: captionArtifactId,
    contentId: captionContentId,
    receiptArtifactId,
    receiptId,
    receiptContentId,
  };
  const text = [...(asked.source.text ?? '')].slice(0, 2).join('');
  return {
    caption,
    lineId: asked.id,
    selection: { side: 'source', unit: 'unicode_code_point', start: 0, end: 2, text },
    facetKinds: ['meaning', 'word'],
  };
}
