import { testPaths } from './path-tests.ts';
import { reviewScenario } from './review-scenario.ts';

const { scenario, endingOf } = reviewScenario({
  outcome: 'approve_for_caption_production',
  reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
  note: 'clear speech',
});

testPaths(scenario, endingOf);
