/** Tests and contracts of policies: costs, reminders and tool grants. */
@NullMarked
package org.sallyport.policy;

import org.jspecify.annotations.NullMarked;
