import { z } from 'zod';
import type { StudyHost } from '../../client/study-host.ts';
import { type CaptionMethodRows, requestedMethod } from '../../contract/captions/caption-method.ts';
import type { CaptionPlanAnswer } from '../../contract/captions/caption-plan.ts';
import type { ShownLine } from '../../contract/captions/correction.ts';
import type { Cause } from '../../contract/causes/causes.ts';
import { causesText } from '../../contract/causes/wording.ts';
import { settingWords } from '../commands/caption-ways.ts';
import { captionsOnceChecked } from '../commands/captions.ts';
import { paged } from './agent-answers.ts';
import { type AgentTool, agentTool, answerOf, wirePart } from './agent-server.ts';

/** A line as an agent gets it, and as files have it: times and both texts. */
const seenLine = ({ id: lineId, startMs, endMs, source, target }: ShownLine) => ({
  lineId,
  startMs,
  endMs,
  source: source.text,
  target: target.text,
});

const runtimeId = z.string().describe('the runtimeId of a study');

/** The methods of captions as an agent gets them: obstacles in its terms, and what a person has to permit. */
export const seenMethods = ({ chosen, methods }: CaptionMethodRows) => ({
  chosen,
  methods: methods.map(({ use, confirmation: _, obstacles, permissions, ...row }) => ({
    ...row,
    obstacles: obstacles.map((cause) => ({ ...cause, text: causesText([cause], 'agent') })),
    permissions,
    ...(permissions.length > 0 && {
      permission: `only a person can permit this: tell them to run media-study caption, or media-study settings set ${settingWords(use)}`,
    }),
  })),
});

const seenPlanEntries = 64;

/** A caption plan as an agent gets it: short lists, and remarks and obstacles in its terms. */
function seenPlan({ runtimeId: id, digest, plan }: CaptionPlanAnswer) {
  const inWords = <Of extends Cause>(causes: readonly Of[]) =>
    causes.map((each) => ({ ...each, text: causesText([each], 'agent') }));
  const first = <Entry>(entries: readonly Entry[]): Entry[] => entries.slice(0, seenPlanEntries);
  return {
    runtimeId: id,
    digest,
    ...plan,
    gaps: first(plan.gaps),
    leftOut: first(plan.leftOut),
    apart: first(plan.apart),
    withoutSpeech: first(plan.withoutSpeech),
    remarks: inWords(plan.remarks),
    obstacles: inWords(plan.obstacles),
  };
}

/** The tools about captions. To permit a method, and to approve a study, is up to a person. */
export const captionTools = (host: StudyHost): readonly AgentTool[] => [
  agentTool(
    {
      name: 'read_captions',
      description:
        'Lines of the captions of an approved study, with the corrections of a person, with times and both texts.',
      given: z.strictObject({
        runtimeId,
        cursor: z.number().int().min(0).default(0).describe('where to go on: nextCursor of the answer before'),
        limit: z.number().int().min(1).max(500).default(100).describe('the most items of one answer'),
      }),
      answer: answerOf({
        outcome: z.enum(['accepted', 'withheld']),
        reasonCodes: z.array(z.string()).optional(),
        withheldLines: z.number().int().optional(),
        items: z.array(z.looseObject({ lineId: z.string(), startMs: z.number().int(), endMs: z.number().int() })),
        nextCursor: z.number().int().nullable().describe('the cursor of the next part; null at the end'),
      }),
      // Asks again for a check of the captions whose record a full disk has prevented.
      hints: { readOnly: false, idempotent: true },
    },
    async ({ runtimeId: id, cursor: from, limit: most }, { signal }) => {
      const { filed } = await captionsOnceChecked(host, id, signal);
      const { outcome, reasonCodes, withheldLines } = filed;
      if (outcome === 'withheld') return { outcome, reasonCodes, items: [], nextCursor: null };
      return { outcome, withheldLines, ...paged(filed.lines.map(seenLine), from, most) };
    },
  ),
  agentTool(
    {
      name: 'read_caption_methods',
      description:
        'The methods that captions of a study can have, the preferred one first: its state, what it sends where, and what is in its way.',
      given: z.strictObject({ runtimeId }),
      answer: answerOf({ chosen: z.string().nullable(), methods: z.array(wirePart) }),
      hints: { readOnly: true },
    },
    async ({ runtimeId: id }) => seenMethods(await host.captions.methods(id)),
  ),
  agentTool(
    {
      name: 'read_caption_plan',
      description:
        'What captions of a study will be made of, before a person approves them. It has the tracks and why, how they lie against the speech, and speech without a line. Then the lines left out, and the obstacles. A person reads it before an approval. Lists are cut to the first entries; counts are whole.',
      given: z.strictObject({
        runtimeId,
        method: requestedMethod.optional().describe('the way to captions; the method of the host without it'),
        tracks: z
          .array(z.number().int().min(0))
          .max(2)
          .default([])
          .describe('stream indexes of text tracks that a person chose, one for each side'),
      }),
      answer: answerOf({ runtimeId: z.string(), digest: z.string(), obstacles: z.array(wirePart) }),
      hints: { readOnly: true },
    },
    async ({ runtimeId: id, method, tracks }) =>
      seenPlan(await host.captions.plan(id, { ...(method !== undefined && { method }), tracks })),
  ),
  agentTool(
    {
      name: 'produce_captions',
      description:
        'Makes captions of a study that a person has approved, by a method that is permitted; read_captions reads them. A method that translates sends their text to the server that read_caption_methods names.',
      given: z.strictObject({
        runtimeId,
        method: requestedMethod.default('auto').describe('auto takes the first that is ready'),
      }),
      answer: answerOf({
        runtimeId: z.string(),
        captions: z.array(z.looseObject({ jobId: z.string(), receiptId: z.string() })),
      }),
      hints: { readOnly: false, uses: ['caption_translation'] },
    },
    async ({ runtimeId: id, method }, { progressed }) => {
      await progressed(() => 'captions are being made');
      const { captions } = await host.captions.produce(id, { method });
      return { runtimeId: id, captions: captions.map(({ jobId, receiptId }) => ({ jobId, receiptId })) };
    },
  ),
];
