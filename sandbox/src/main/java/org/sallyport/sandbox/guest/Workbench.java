package org.sallyport.sandbox.guest;

import org.sallyport.sandbox.Toolbox;

/** A toolbox in the forms that the prelude asks for; made once for all sessions that share it. Thread-safe. */
record Workbench(ToolMenu menu, ToolCatalog catalog, LibraryShelf library) {
    static Workbench of(Toolbox toolbox) {
        return new Workbench(new ToolMenu(toolbox), new ToolCatalog(toolbox), new LibraryShelf(toolbox.modules()));
    }
}
