import type { ExplanationInput } from '../../contract/explanations/language-explanation.ts';
import type {
  ExplanationConfiguration,
  ExplanationPrompt,
} from '../../contract/explanations/language-explanation-executor.ts';
import type { ExplanationOutput, FacetKind } from '../../contract/explanations/language-explanation-facet.ts';
import type { ExplanationExecution } from '../../contract/explanations/language-explanation-records.ts';

/** What is to be explained, and which facets of it; at least one. */
export interface ExplanationQuestion {
  readonly input: ExplanationInput;
  readonly kinds: readonly FacetKind[];
}

export interface Explained {
  /** As it came, its shape checked; its texts may still be ones that cannot be stored. */
  readonly output: ExplanationOutput;
  readonly execution: ExplanationExecution;
}

/** An executor that explains captions. A host that was started without one has none. */
export interface LanguageExplainer {
  /** Everything that it says to a model beside the captions. */
  readonly prompt: ExplanationPrompt;
  /** How and where it asks. */
  readonly configuration: ExplanationConfiguration;
  /**
   * Asks once, never again by itself. Rejects with `ExplanationFailure`, and with the reason of `signal` once that aborts;
   * nothing is under way after that.
   */
  explain(question: ExplanationQuestion, signal: AbortSignal): Promise<Explained>;
}
