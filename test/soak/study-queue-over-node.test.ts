import { studyQueueContract } from '../http/study-queue-contract.ts';

studyQueueContract('node');
