import { adapters } from './listener/adapters.ts';
import { answers } from './listener/answers.ts';
import { closing } from './listener/closing.ts';
import { downloads } from './listener/downloads.ts';
import { faults } from './listener/faults.ts';
import { openAnswers } from './listener/open-answers.ts';
import { uploads } from './listener/uploads.ts';

// One contract, both adapters.
for (const adapter of adapters) {
  answers(adapter);
  faults(adapter);
  uploads(adapter);
  downloads(adapter);
  openAnswers(adapter);
  closing(adapter);
}
