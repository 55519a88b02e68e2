package org.sallyport.sandbox.guest;

import org.sallyport.sandbox.ToolNameMap;
import org.sallyport.sandbox.Toolbox;

/** A toolbox in the forms that the prelude requests; built once for sessions that share it. Thread-safe. */
record PreparedToolbox(ToolListEncoder toolList, GuestToolCatalog catalog, LibraryModuleLoader moduleLoader) {
    static PreparedToolbox of(Toolbox toolbox) {
        ToolNameMap names = ToolNameMap.of(toolbox);
        return new PreparedToolbox(
                new ToolListEncoder(names),
                new GuestToolCatalog(toolbox, names),
                new LibraryModuleLoader(toolbox.modules()));
    }
}
