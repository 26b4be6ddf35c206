export {
  type BodyDescription,
  type Description,
  type Descriptor,
  describe,
  describeFactories,
  descriptionOf,
  type FormDescription,
  isUnknown,
  mediaTypesOf,
  type Role,
} from './description.js';
