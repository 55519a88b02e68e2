/** Library modules that scripts may import, as the operator configures them. Knows no tenants and runs nothing. */
@NullMarked
package org.sallyport.modules;

import org.jspecify.annotations.NullMarked;
