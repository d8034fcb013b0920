import type { CaptionExecutorIdentity, CaptionTranslator } from '../../contract/captions/caption-line.ts';
import type { CaptionPlan } from '../../contract/captions/caption-plan.ts';
import {
  type CaptionTranslation,
  type TranslationConfiguration,
  wholeTranslationLimits,
} from '../../contract/captions/caption-translation.ts';
import { contentIdOfJson, firstDifference } from '../../formats/canonical-json.ts';

/**
 * The configurations that earlier versions of the program had for the same server and model, the newest first. They differ in the form
 * of the request alone.
 */
export function earlierConfigurationsOf(
  configuration: CaptionTranslation['configuration'],
): readonly TranslationConfiguration[] {
  if (configuration.schema !== 'studio.caption-translation.configuration.v2') return [];
  const { baseUrl, model, temperature, tokenLimitFields, retries, redirects } = configuration;
  return [
    {
      schema: 'studio.caption-translation.configuration.v1',
      responseFormat: 'json_schema_strict',
      limits: wholeTranslationLimits,
      ...{ baseUrl, model, temperature, tokenLimitFields, retries, redirects },
    },
  ];
}

/** The translator of an executor; null for one that names none. */
const translatorIn = (executor: CaptionExecutorIdentity): CaptionTranslator | null =>
  'configurationContentId' in executor
    ? {
        model: executor.model,
        promptContentId: executor.promptContentId,
        configurationContentId: executor.configurationContentId,
      }
    : null;

/** An executor with the configuration of another one. */
const configuredAs = (executor: CaptionExecutorIdentity, other: CaptionExecutorIdentity): CaptionExecutorIdentity =>
  'configurationContentId' in executor && 'configurationContentId' in other
    ? { ...executor, configurationContentId: other.configurationContentId }
    : executor;

/** True if an executor is that of a plan, or differs in the configuration of its translator alone: see `isConfigurationOfPlan`. */
export const isExecutorOfPlan = ({ executor }: CaptionPlan, begun: CaptionExecutorIdentity): boolean =>
  firstDifference(executor, configuredAs(begun, executor)) === null;

/** True if translated captions asked the server and the model of their plan. The form of the request may be that of a later version. */
export function isConfigurationOfPlan(
  { executor }: CaptionPlan,
  { configuration }: Pick<CaptionTranslation, 'configuration'>,
): boolean {
  const planned = translatorIn(executor)?.configurationContentId;
  return [configuration, ...earlierConfigurationsOf(configuration)].some((each) => contentIdOfJson(each) === planned);
}

const rulesOf = ({ rules, translation }: CaptionPlan) => ({ ...rules, translationGates: translation?.gates ?? null });

type PlanSide = CaptionPlan['sides']['source'];

/** The part of a plan that captions are made by; the rest is what the program found out about them. */
function madeBy({ runId, asked, method, executor, sides, lines, translation }: CaptionPlan) {
  const origin = ({ origin, engine, choice }: PlanSide) => ({
    origin,
    engine,
    track: choice?.chosen?.trackIndex ?? null,
  });
  const translated = translation === null ? null : { lines: translation.lines, model: translation.model };
  const origins = { source: origin(sides.source), target: origin(sides.target) };
  return { runId, asked, method, executor, lines, translated, ...origins };
}

/**
 * Why a host cannot make captions by an approved plan any more, for a person; null if it can. A later version of the program follows a
 * plan of an earlier one if its lines, its tracks and its engine are the same. `earlier` has the identities that the translator of
 * now had in earlier versions.
 */
export function otherThanPlanned(
  approved: CaptionPlan,
  found: CaptionPlan,
  earlier: readonly CaptionTranslator[],
): string | null {
  const planned = translatorIn(approved.executor);
  const isEarlier = earlier.some((each) => firstDifference(each, planned) === null);
  const present = isEarlier ? { ...found, executor: configuredAs(found.executor, approved.executor) } : found;
  if (firstDifference(approved, present) === null) return null;
  const isOfOtherRules = firstDifference(rulesOf(approved), rulesOf(present)) !== null;
  if (isOfOtherRules && firstDifference(madeBy(approved), madeBy(present)) === null) return null;
  const now = translatorIn(present.executor);
  if (planned !== null && now !== null && firstDifference(planned, now) !== null) {
    return planned.model === now.model
      ? `the model ${now.model} is asked at another server, or in another way, than in the approved plan`
      : `${now.model} translates now, and the approved plan has ${planned.model}`;
  }
  if (isOfOtherRules) return 'this version of the program makes other lines of the study than the approved plan has';
  return 'the host gives another plan now than the approved one: an engine or a setting is another';
}
