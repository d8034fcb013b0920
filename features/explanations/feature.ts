import type { HostCore } from '../../actors/host-feature.ts';
import { engineOff, hostedEngine } from '../../actors/operation/engines.ts';
import { explanationLimits } from '../../contract/explanations/explanation.ts';
import { type ConfiguredFeature, describedService, type Feature, type ServedFeature } from '../feature.ts';
import { openHostedExplainer } from './engine/hosted-explainer.ts';
import { explanationActor } from './explanation-actor.ts';
import { LanguageExplanations, mostExplanationsAtOnce } from './language-explanations.ts';
import {
  announcedExplainer,
  type ChosenExplainer,
  explainerModel,
  explainerNotice,
  explainerOf,
  explanationFlags,
} from './options.ts';
import { languageExplanationRoutes } from './routes.ts';

/** Opens the explanations of a host. Without a choice it shows those of earlier hosts, and ends the attempts that they left. */
async function open(choice: ChosenExplainer | null, core: HostCore): Promise<ServedFeature> {
  const { supervisor, clock } = core;
  const explainer = choice === null ? null : await openHostedExplainer({ ...choice, clock });
  const definition = explanationActor({ ...core, explainer });
  supervisor.register(definition);
  const explanations = new LanguageExplanations({ ...core, definition, explainer });
  return {
    routes: () => languageExplanationRoutes(explanations),
    engineRows: () => [
      choice === null
        ? engineOff('explanations', 'nothing is explained')
        : hostedEngine('explanations', choice, 'caption text'),
    ],
    stopWork: (runtimeId) => explanations.stop(runtimeId),
    producing: () => supervisor.countLive(definition.name),
  };
}

const grouped = (value: number): string => value.toLocaleString('en');

const {
  maxSelectionCodePoints,
  maxRequestedFacets,
  maxContextLines,
  maxCaptionTextBytes,
  maxAttemptsPerRequest,
  maxWallMs,
  maxCompletionTokens,
} = explanationLimits;

const limit = `${maxSelectionCodePoints} code points, ${maxRequestedFacets} facets, ${maxContextLines} lines of context with ${grouped(maxCaptionTextBytes)} bytes of text, ${maxAttemptsPerRequest} attempts of ${maxWallMs / 1000} s and ${grouped(maxCompletionTokens)} tokens; a host requests ${mostExplanationsAtOnce} at once, and others wait`;

/** Has parts of caption lines explained by a hosted model, for people who learn a language. */
export const explanations: Feature = {
  name: 'explanations',
  flags: { host: explanationFlags },
  options: (given) => {
    const model = explainerModel(given);
    const announced = { languageExplanationExecutor: announcedExplainer(model) };
    return (environment): ConfiguredFeature => {
      const choice = explainerOf(model, environment);
      return {
        open: async (core) => ({ ...(await open(choice, core)), announced }),
        notices: choice === null ? [] : [explainerNotice(choice)],
        servers:
          choice === null
            ? []
            : [
                {
                  ...choice,
                  use: 'explainer',
                  room: 'explanations',
                  sent: 'the text of captions',
                  change: 'restart',
                },
              ],
      };
    };
  },
  limits: { 'an explanation': limit },
  paths: () => languageExplanationRoutes(describedService()),
};
